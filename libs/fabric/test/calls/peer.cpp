// For tests. `peer worker PORT` serves cpp.reverse until its standard input ends; `peer caller PORT NAME PAYLOAD` calls and prints the answer.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "hivemind_fabric.hpp"

int main(int count, char** words) {
  const auto port = static_cast<uint16_t>(std::stoi(words[2]));
  try {
    if (std::strcmp(words[1], "caller") == 0 && count == 5) {
      hivemind::fabric::Caller caller("127.0.0.1", port);
      std::cout << caller.call(words[3], words[4]) << std::endl;
      return 0;
    }
    hivemind::fabric::Worker worker({{"cpp.reverse",
                                      [](std::string payload) {
                                        std::reverse(payload.begin(), payload.end());
                                        return payload;
                                      }}},
                                    "127.0.0.1", port);
    std::thread serving([&worker] { worker.serve(); });
    std::cout << "ready" << std::endl;
    while (std::getchar() != EOF) {
    }
    worker.close();
    serving.join();
  } catch (const hivemind::fabric::FabricError& error) {
    std::cerr << error.what() << std::endl;
    return 1;
  }
}
