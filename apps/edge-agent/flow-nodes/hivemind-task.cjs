/** hivemind-task: a task's place in the flow. A message that reaches it is an item for the task; its items leave here. */
module.exports = (RED) => {
  RED.nodes.registerType('hivemind-task', function hivemindTask(config) {
    RED.nodes.createNode(this, config)
    RED.settings.hivemind.addNode(this, config)
    this.on('input', (message, _send, done) => {
      try {
        RED.settings.hivemind.onMessage(config, message)
        done()
      } catch (error) {
        done(error)
      }
    })
  })
}
