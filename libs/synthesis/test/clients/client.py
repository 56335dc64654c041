"""Calls both services of the interface through the stubs that the Thrift compiler made, and prints what came back."""
import sys

from thrift.protocol import TBinaryProtocol
from thrift.Thrift import TApplicationException
from thrift.transport import TSocket, TTransport

sys.path.insert(0, sys.argv[3])
from patrol import PatrolAgent, PatrolGateway  # noqa: E402
from patrol.ttypes import Delivery, InvocationKey, RunStart, SpanRecord, TaskFailure, Value  # noqa: E402


def connect(service, port):
    socket = TSocket.TSocket("127.0.0.1", int(port))
    socket.setTimeout(60_000)
    framed = TTransport.TFramedTransport(socket)
    framed.open()
    return service.Client(TBinaryProtocol.TBinaryProtocol(framed))


def key_of(task, seq):
    return InvocationKey(run="run-1", task=task, device="Gerät-1", seq=seq)


def value_of(name, payload):
    return Value(name=name, contentType="application/cbor", payload=payload)


agent = connect(PatrolAgent, sys.argv[1])
gateway = connect(PatrolGateway, sys.argv[2])
payload = bytes(range(256))

info = agent.info()
print("info", info.device, info.pid, info.port, info.version)
agent.startRun(
    RunStart(run="run-1", device="Gerät-1", deviceIndex=0, devices=["Gerät-1", "device-2"], maxItems=-1)
)
delivery = Delivery(epoch=3, attempt=1, shape="object", readyAt=1763700000000.25, sentAt=1763700000000.5)
agent.steer(key_of("steer", 7), delivery, value_of("route", payload))
print("steered")
try:
    agent.steer(key_of("steer", -1), delivery, value_of("route", b""))
    print("no failure")
except TaskFailure as failure:
    print("failure", failure.kind, failure.message, failure.detail)

gateway.frame(key_of("look", 0), value_of("frame", payload))
span = SpanRecord(
    key=key_of("look", 0), worker="worker", execution=0.125, bytesOut=5_000_000_000, ok=True, attempt=1
)
gateway.spans([span, span])
print("told")
try:
    gateway.taskFailed(key_of("look", 0), "crash", "it broke", "")
    print("no fault")
except TApplicationException as fault:
    print("fault", fault.type, fault.message)
agent.endRun("run-1")
print("ended")
