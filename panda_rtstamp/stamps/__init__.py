"""Marks on surfaces. The path through one call is system > binding > pool, capture, fade, display > surface,
hit.
"""
