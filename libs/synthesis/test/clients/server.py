"""
Serves both services of the interface through the stubs that the Thrift compiler made. Prints their ports as JSON; then, for each
line on standard input, what it was called with since the last one. Argument: folder of the stubs.
"""
import json
import sys
import threading

from thrift.protocol import TBinaryProtocol
from thrift.server import TServer
from thrift.Thrift import TApplicationException
from thrift.transport import TSocket, TTransport

sys.path.insert(0, sys.argv[1])
from patrol import PatrolAgent, PatrolGateway  # noqa: E402
from patrol.ttypes import AgentInfo, TaskFailure  # noqa: E402

calls = {}


class Recorder:
    """Keeps what its methods are called with; `answers` says what some of them do."""

    def __init__(self, answers):
        self.answers = answers

    def __getattr__(self, name):
        def record(*args):
            calls.setdefault(name, []).append(args)
            return self.answers[name](*args) if name in self.answers else None

        return record


class Listener(TSocket.TServerSocket):
    """Listens from the start, on a port that is free."""

    def __init__(self):
        super().__init__("127.0.0.1", 0)
        super().listen()
        self.port = self.handle.getsockname()[1]

    def listen(self):
        pass


def serve(service, answers):
    listener = Listener()
    server = TServer.TThreadedServer(
        service.Processor(Recorder(answers)),
        listener,
        TTransport.TFramedTransportFactory(),
        TBinaryProtocol.TBinaryProtocolFactory(),
        daemon=True,
    )
    threading.Thread(target=server.serve, daemon=True).start()
    return listener.port


def steer(key, *_):
    if key.seq < 0:
        raise TaskFailure(kind="value", message="no such item", detail="seq -1")


def lose(*_):
    raise TApplicationException(TApplicationException.INTERNAL_ERROR, "the gateway is at a loss")


def plain(value):
    if isinstance(value, bytes):
        return list(value)
    return {name: each for name, each in vars(value).items() if each is not None}


agent = serve(
    PatrolAgent,
    {"info": lambda: AgentInfo(device="Gerät-1", pid=4711, port=65_535, version="1"), "steer": steer},
)
gateway = serve(PatrolGateway, {"taskFailed": lose})
print(json.dumps([agent, gateway]), flush=True)
for _ in sys.stdin:
    print(json.dumps(calls, default=plain), flush=True)
    calls.clear()
