/** hivemind-task: runs a task's code in its own process and sends what it emits. */
module.exports = (RED) => {
  RED.nodes.registerType('hivemind-task', function hivemindTask(config) {
    RED.nodes.createNode(this, config)
    RED.settings.hivemind.addNode('hivemind-task', this, config)
    this.on('input', (message, _send, done) =>
      RED.settings.hivemind.onMessage('hivemind-task', config.task, message, done),
    )
  })
}
