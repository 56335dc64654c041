"""For tests. `peer.py worker PORT` serves py.upper; `peer.py caller PORT NAME PAYLOAD` calls and prints the answer."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "clients/python"))
from hivemind_fabric import Caller, FabricError, Worker  # noqa: E402

what, port, *words = sys.argv[1:]
try:
    if what == "caller":
        with Caller(port=int(port)) as caller:
            print(caller.call(words[0], words[1].encode()).decode())
    else:
        with Worker({"py.upper": lambda payload: payload.upper()}, port=int(port)) as worker:
            print("ready", flush=True)
            worker.serve_forever()
except FabricError as error:
    sys.exit(str(error))
