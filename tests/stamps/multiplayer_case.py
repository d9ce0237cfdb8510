"""A process of test_multiplayer: one that applies the hits of another one, or that joins late.

Arguments: "guest" and the port of the host, or "late" and the file of its marks; and the file to write.
"""

import sys
import time
from typing import Any

import numpy as np
from direct.distributed.PyDatagram import PyDatagram
from panda3d.core import ConnectionWriter, NetDatagram, QueuedConnectionManager, QueuedConnectionReader

from panda_rtstamp import StampConfig, StampSystem
from saved_scene import Scene
from support import make_base, step

# Seconds until a process gives up.
PATIENCE = 60.0
END_OF_FRAME = b"."


def main(role: str, source: str, output: str) -> None:
    base = make_base()
    scene = Scene(base, base.render.attach_new_node("scene"), teapot=False)
    # Defaults of its own: what a hit is like, the record says.
    config = StampConfig(
        auto_fade=False, unwrap_at_once=100_000, hardness=0.9, blend="max", stamp_color=(0, 1, 1)
    )
    with StampSystem(base, config) as stamps:
        if role == "late":
            assert stamps.load(source) == len(scene.nodes)
        else:
            play(base, stamps, int(source))
        step(base, 8)
        np.savez(output, **scene.images(stamps))  # type: ignore[arg-type]


def play(base: Any, stamps: StampSystem, port: int) -> None:
    """Apply what the host sends until it sends nothing, and say so."""
    manager = QueuedConnectionManager()
    reader, writer = QueuedConnectionReader(manager, 0), ConnectionWriter(manager, 0)
    connection = manager.open_TCP_client_connection("127.0.0.1", port, int(PATIENCE * 1000))
    assert connection is not None
    reader.add_connection(connection)
    deadline = time.monotonic() + PATIENCE
    records = 0
    while True:
        assert time.monotonic() < deadline, f"the host said no more after {records} records"
        manager.wait_for_readers(0.1)
        while reader.data_available():
            datagram = NetDatagram()
            assert reader.get_data(datagram)
            record = datagram.get_message()
            if record == END_OF_FRAME:
                step(base)
            elif not record:
                writer.send(PyDatagram(b"done"), connection)
                assert connection.flush()
                manager.close_connection(connection)
                return
            else:
                assert stamps.apply(record) is not None
                records += 1


if __name__ == "__main__":
    main(*sys.argv[1:])
