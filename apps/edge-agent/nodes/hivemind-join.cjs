/** hivemind-join: waits until every parent of a task has an item, and passes the whole input on. */
module.exports = (RED) => {
  RED.nodes.registerType('hivemind-join', function hivemindJoin(config) {
    RED.nodes.createNode(this, config)
    RED.settings.hivemind.addNode('hivemind-join', this, config)
    this.on('input', (message, _send, done) =>
      RED.settings.hivemind.onMessage('hivemind-join', config.task, message, done),
    )
  })
}
