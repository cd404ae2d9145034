/** The processes of a bench: starting, asking and ending them, and what they have spent. */
import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** User and system time so far: fields 14 and 15 of stat, in ticks of 10 ms. 0 where there is no such process here. */
export function cpuMs(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return 0
    throw error
  }
}

export function cpuOf(pids) {
  return new Map(pids.map((pid) => [pid, cpuMs(pid)]))
}

/** What those of `after` have spent since `before`. One that has ended meanwhile is left out: it was idle, or it would be there. */
export function spentMs(before, after) {
  return [...after].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0)
}

export async function start(ends, file, args) {
  const child = fork(file, args)
  ends.push(() => end(child, 'SIGTERM'))
  return { child, hello: await said(child) }
}

function said(child) {
  return new Promise((resolve, reject) => {
    const ended = (code) => reject(new Error(`a process of the bench ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message)
    })
  })
}

export function asked(child, question) {
  const answer = said(child)
  child.send(question)
  return answer
}

export function end(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  return ended
}
