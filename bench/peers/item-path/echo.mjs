/** The floor: an HTTP server that gives a body back, and nothing else. Prints its port. */
import { createServer } from 'node:http'

const server = createServer((incoming, response) => {
  const chunks = []
  incoming.on('data', (chunk) => chunks.push(chunk))
  incoming.on('end', () => {
    const body = Buffer.concat(chunks)
    response.writeHead(200, { 'content-length': body.length })
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.stdin.on('end', () => process.exit(0)).resume()
