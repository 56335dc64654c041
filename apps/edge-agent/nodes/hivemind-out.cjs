/** hivemind-out: an item leaves the device for the cloud. */
module.exports = (RED) => {
  RED.nodes.registerType('hivemind-out', function hivemindOut(config) {
    RED.nodes.createNode(this, config)
    RED.settings.hivemind.addNode('hivemind-out', this, config)
    this.on('input', (message, _send, done) =>
      RED.settings.hivemind.onMessage('hivemind-out', config.task, message, done),
    )
  })
}
