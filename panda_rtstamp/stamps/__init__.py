"""Marks on surfaces: system > marks > binding > pool, capture, fade, display > surface, hit."""
