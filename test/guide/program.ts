import { type ChildProcess, spawn } from 'node:child_process'
import { transformSync } from '@swc/core'

/** JavaScript of a TypeScript program. */
export function withoutTypes(text: string): string {
  return transformSync(text, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
    module: { type: 'es6' },
  }).code
}

/** A command of a guide that runs until it is stopped, with everything that it starts. */
export function startCommand(command: string, options: { cwd: string; env: NodeJS.ProcessEnv }) {
  const child = spawn('bash', ['-c', command], { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += String(chunk)))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return {
    /** Waits for text of its output. Throws when the command ends before it. */
    prints: async (text: string) => {
      const deadline = Date.now() + 180_000
      while (!printed.includes(text)) {
        if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${command}: no “${text}” in: ${printed}`)
        await outputOrTick(child)
      }
    },
    printed: () => printed,
    stop: async () => {
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      await ended
    },
  }
}

/** Resolves with the next output, or after 200 ms, so that a deadline is noticed. */
function outputOrTick({ stdout }: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      stdout?.off('data', finish)
      resolve()
    }
    const timer = setTimeout(finish, 200)
    stdout?.on('data', finish)
  })
}
