/** A node that does nothing: it sends on what it gets, and counts what reaches the end of the chain. */
module.exports = (RED) => {
  RED.nodes.registerType('bench-pass', function Pass(config) {
    RED.nodes.createNode(this, config)
    RED.settings.bench.made(this, config)
    this.on('input', (message, send, done) => {
      if (config.last) RED.settings.bench.ended()
      else send(message)
      done()
    })
  })
}
