// A flood of HTTP requests, in its own process, so that the attacker's work is not measured. It ends with its parent.
import { connect, type Socket } from 'node:net'
import { constants, setPriority } from 'node:os'

export type FloodOrder =
  | {
      kind: 'flood'
      port: number
      connections: number
      /** One request, complete. Of several, each connection sends another. */
      requests: string[]
      /** How often it is written at once, before the connection waits for an answer. */
      times: number
      /** Whether answers are read; the next request is sent after an answer. */
      reads: boolean
      /** Leaves after that, and comes no more. */
      leavesAfterMs?: number
    }
  | { kind: 'stop' }

const againAfterMs = 20
const pieceBytes = 262_144
let open = new Set<Socket>()
let isOn = false

process.on('disconnect', () => process.exit(0))
// In reality attackers are other machines: they must take no CPU from the server.
setPriority(process.pid, constants.priority.PRIORITY_LOW)
process.on('message', (order: FloodOrder) => {
  if (order.kind === 'stop') {
    stop()
    return
  }
  isOn = true
  for (let n = 0; n < order.connections; n += 1) attack(order, n)
  if (order.leavesAfterMs !== undefined) setTimeout(stop, order.leavesAfterMs)
})

function stop(): void {
  isOn = false
  for (const socket of open) socket.destroy()
  open = new Set()
}

type Flood = Extract<FloodOrder, { kind: 'flood' }>

function attack(order: Flood, n: number): void {
  if (!isOn) return
  const { port, requests, times, reads } = order
  const request = requests[n % requests.length] ?? ''
  const socket = connect(port, '127.0.0.1')
  open.add(socket)
  socket.on('error', () => undefined)
  // A connection that was ended comes again.
  socket.once('close', () => {
    open.delete(socket)
    setTimeout(() => attack(order, n), againAfterMs)
  })
  const atOnce = Buffer.from(request.repeat(Math.min(times, Math.ceil(pieceBytes / request.length))))
  let left = times * request.length
  const write = () => {
    while (left > 0 && socket.writable) {
      const piece = atOnce.subarray(0, Math.min(left, atOnce.length))
      left -= piece.length
      if (!socket.write(piece)) {
        socket.once('drain', write)
        return
      }
    }
  }
  socket.once('connect', write)
  if (!reads) {
    socket.pause()
    return
  }
  // One answer comes in one piece or several; the end of each is not told apart, so a request may be sent ahead.
  let lastAt = 0
  socket.on('data', () => {
    const now = performance.now()
    if (now - lastAt < 1) return
    lastAt = now
    left += request.length
    write()
  })
}
