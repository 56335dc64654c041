// Calls both services of the interface through the stubs that the Thrift compiler made, and prints what came back.
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <thrift/TApplicationException.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/TSocket.h>

#include "PatrolAgent.h"
#include "PatrolGateway.h"

using namespace apache::thrift;
using namespace patrol;

static std::shared_ptr<protocol::TProtocol> connect(int port) {
  auto socket = std::make_shared<transport::TSocket>("127.0.0.1", port);
  socket->setConnTimeout(20000);
  socket->setRecvTimeout(60000);
  auto framed = std::make_shared<transport::TFramedTransport>(socket);
  framed->open();
  return std::make_shared<protocol::TBinaryProtocol>(framed);
}

static InvocationKey keyOf(const std::string& task, int32_t seq) {
  InvocationKey key;
  key.__set_run("run-1");
  key.__set_task(task);
  key.__set_device("Gerät-1");
  key.__set_seq(seq);
  return key;
}

static Value valueOf(const std::string& name, const std::string& payload) {
  Value value;
  value.__set_name(name);
  value.__set_contentType("application/cbor");
  value.__set_payload(payload);
  return value;
}

int main(int, char** argv) {
  PatrolAgentClient agent(connect(std::stoi(argv[1])));
  PatrolGatewayClient gateway(connect(std::stoi(argv[2])));

  std::string payload;
  for (int byte = 0; byte < 256; byte++) payload.push_back(static_cast<char>(byte));

  AgentInfo info;
  agent.info(info);
  std::cout << "info " << info.device << " " << info.pid << " " << info.port << " " << info.version << "\n";

  RunStart start;
  start.__set_run("run-1");
  start.__set_device("Gerät-1");
  start.__set_deviceIndex(0);
  start.__set_devices({"Gerät-1", "device-2"});
  start.__set_maxItems(-1);
  agent.startRun(start);

  Delivery delivery;
  delivery.__set_epoch(3);
  delivery.__set_attempt(1);
  delivery.__set_shape("object");
  delivery.__set_readyAt(1763700000000.25);
  delivery.__set_sentAt(1763700000000.5);
  agent.steer(keyOf("steer", 7), delivery, valueOf("route", payload));
  std::cout << "steered\n";

  try {
    agent.steer(keyOf("steer", -1), delivery, valueOf("route", ""));
    std::cout << "no failure\n";
  } catch (const TaskFailure& failure) {
    std::cout << "failure " << failure.kind << " " << failure.message << " " << failure.detail << "\n";
  }

  gateway.frame(keyOf("look", 0), valueOf("frame", payload));
  SpanRecord span;
  span.__set_key(keyOf("look", 0));
  span.__set_worker("worker");
  span.__set_execution(0.125);
  span.__set_bytesOut(INT64_C(5000000000));
  span.__set_ok(true);
  span.__set_attempt(1);
  gateway.spans({span, span});
  std::cout << "told\n";

  try {
    gateway.taskFailed(keyOf("look", 0), "crash", "it broke", "");
    std::cout << "no fault\n";
  } catch (const TApplicationException& fault) {
    std::cout << "fault " << fault.getType() << " " << fault.what() << "\n";
  }
  agent.endRun("run-1");
  std::cout << "ended\n";
}
