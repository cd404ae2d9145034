/**
 * **What it does.** Ends the children of a killed starter.
 *
 * **Participants.** A starter (npm start, npm test, a test of the local stack) runs this process in its own session.
 * On standard input it reports, in one JSON line each, which process groups started and ended.
 *
 * **Guarantees.** When the input closes, also after a kill -9, the remaining groups get their signal, a limited time,
 * and then SIGKILL.
 *
 * **Not guaranteed.** Anything after the end of this process: the next start ends the recorded pids.
 */
import { createInterface } from 'node:readline'

const groups = new Map()
const pollMs = 50

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})

createInterface({ input: process.stdin }).on('line', (line) => {
  const { add, remove, signal, timeoutMs } = JSON.parse(line)
  if (add !== undefined) groups.set(add, { signal, timeoutMs })
  if (remove !== undefined) groups.delete(remove)
})
process.stdin.on('end', end)
process.stdin.on('error', end)

function end() {
  if (groups.size === 0) process.exit(0)
  const deadlines = [...groups].map(([pid, { signal, timeoutMs }]) => {
    send(pid, signal)
    return { pid, deadline: Date.now() + timeoutMs }
  })
  const timer = setInterval(() => {
    const left = deadlines.filter(({ pid }) => send(pid, 0))
    for (const { pid, deadline } of left) if (Date.now() > deadline) send(pid, 'SIGKILL')
    const finished = left.every(({ deadline }) => Date.now() > deadline + pollMs)
    if (finished) {
      clearInterval(timer)
      process.exit(0)
    }
  }, pollMs)
}

function send(pid, signal) {
  try {
    process.kill(-pid, signal)
    return true
  } catch {
    return false // the group is gone, which is what is wanted
  }
}
