/**
 * Builds and runs images without a daemon, as root. Its storage is in the checkout, apart from the storage of the
 * machine.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { find } from '../machine/machine.ts'
import { root } from '../machine/profile.ts'
import { UserError } from '../machine/user-error.ts'
import { type Outcome, runToEnd } from '../processes/process-group.ts'
import { aptInstall, mayInstall } from '../programs/apt.ts'

export const imagesDirectory = join(root, '.data', 'images')

/** Debian's packages of the programs that images need here. */
const programs = ['buildah', 'debootstrap'] as const

const administration = 21n

/** Whether this machine may install the programs, and this process may mount the layers of an image. */
function canBuildImages(): boolean {
  if (!mayInstall() || !readFileSync('/proc/filesystems', 'utf8').includes('\toverlay\n')) return false
  const [, capabilities = '0'] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return ((BigInt(`0x${capabilities}`) >> administration) & 1n) === 1n
}

export async function provideBuildah(say: (line: string) => void): Promise<void> {
  if (!canBuildImages())
    throw new UserError('Images are built as root, on a Debian machine whose kernel has overlay file systems.')
  for (const program of programs) if (find(program) === undefined) await aptInstall(program, say)
}

const storage = join(imagesDirectory, 'storage')

/** Removes what builds leave: containers, and mounts, because of which the checkout cannot be deleted. */
export async function removeContainers(): Promise<void> {
  await tryBuildah(['rm', '--all'])
  await runToEnd('umount', [join(storage, 'overlay')], { timeoutMs: 60_000 })
}

/** Runs buildah to its end. */
export async function tryBuildah(args: readonly string[], timeoutMs = 120_000): Promise<Outcome> {
  const where = ['--storage-driver', 'overlay', '--root', storage, '--runroot', join(imagesDirectory, 'run')]
  return runToEnd('buildah', [...where, ...args], { timeoutMs })
}

/** Returns what buildah prints. Throws with the end of its output when it fails. */
export async function buildah(args: readonly string[], timeoutMs?: number): Promise<string> {
  const { code, stdout, output } = await tryBuildah(args, timeoutMs)
  const end = output.trim().split('\n').slice(-20).join('\n')
  if (code !== 0) throw new UserError(`buildah ${args[0]} failed:\n${end}`)
  return stdout.trim()
}

/** Calls `use` with a container of the image, which is removed afterwards. */
export async function withContainer<Result>(
  image: string,
  use: (container: string) => Promise<Result>,
): Promise<Result> {
  const container = await buildah(['from', '--pull-never', '--signature-policy', policyFile(), image])
  try {
    return await use(container)
  } finally {
    await buildah(['rm', container])
  }
}

/** Accepts every image: all are made here. */
export function policyFile(): string {
  const file = join(imagesDirectory, 'policy.json')
  writeFileSync(file, JSON.stringify({ default: [{ type: 'insecureAcceptAnything' }] }))
  return file
}
