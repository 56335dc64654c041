/** hivemind-in: an invocation that the cloud delivers enters the flow here. */
module.exports = (RED) => {
  RED.nodes.registerType('hivemind-in', function hivemindIn(config) {
    RED.nodes.createNode(this, config)
    RED.settings.hivemind.addNode('hivemind-in', this, config)
  })
}
