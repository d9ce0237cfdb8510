"""Messages through Panda's own Notify, so that `notify-level-rtstamp` and log files work as usual."""

from panda3d.core import Notify

_category = Notify.ptr().get_category("rtstamp")
_said: set[str] = set()


def warn(text: str) -> None:
    """Write one warning line."""
    if _category.is_warning():
        # The C++ stream that warning() returns cannot be written to from Python; write_string goes to the
        # same place, behind the prefix that warning() has just put there.
        _category.warning()
        Notify.write_string(text)


def warn_once(key: str, text: str) -> None:
    """Write one warning line, unless `key` was warned about before in this process."""
    if key not in _said:
        _said.add(key)
        warn(text)


def forget(key: str) -> None:
    """Let `warn_once` speak of `key` again."""
    _said.discard(key)
