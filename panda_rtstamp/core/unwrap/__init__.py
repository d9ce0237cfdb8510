"""UV unwrapping: an atlas for triangles that have none, in numpy, with uvunwrap or xatlas where installed."""

from panda_rtstamp.core.unwrap.atlas import METHODS, Atlas, unwrap
from panda_rtstamp.core.unwrap.job import Job

__all__ = ["METHODS", "Atlas", "Job", "unwrap"]
