/** Nodes of the exchange: its connection, subscribe, publish, and shared objects. */
module.exports = (RED) => {
  const { exchange } = RED.settings.hivemind
  const connectionOf = (config) => RED.nodes.getNode(config.exchange)?.connection

  RED.nodes.registerType(
    'hivemind-exchange',
    function hivemindExchange(config) {
      RED.nodes.createNode(this, config)
      this.connection = exchange.connect(this, config, this.credentials?.token)
    },
    { credentials: { token: { type: 'password' } } },
  )
  RED.nodes.registerType('hivemind-subscribe', function hivemindSubscribe(config) {
    RED.nodes.createNode(this, config)
    exchange.subscribe(this, config, connectionOf(config))
  })
  RED.nodes.registerType('hivemind-publish', function hivemindPublish(config) {
    RED.nodes.createNode(this, config)
    exchange.publish(this, config, connectionOf(config))
  })
  RED.nodes.registerType('hivemind-object', function hivemindObject(config) {
    RED.nodes.createNode(this, config)
    exchange.object(this, config, connectionOf(config))
  })
}
