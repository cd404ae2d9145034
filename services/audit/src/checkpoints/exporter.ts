import { mkdir, open, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Seal } from '@payments/contracts/services/audit/contract'

/** exported: written now · present: the same content exists · conflict: another content exists. */
type ExportResult = 'exported' | 'present' | 'conflict'

/** Resolves when the checkpoint is durable. Rejects when the storage fails; the next run tries again. */
export type ExportCheckpoint = (checkpoint: Seal) => Promise<ExportResult>

/**
 * **What it does.** Exports checkpoints as files, `<directory>/<tenant id or none>/<sequence>.json`. The directory
 * belongs on write-once storage: a WORM volume, or mounted object storage with object lock.
 *
 * **Guarantees.**
 *
 * - A file is created with O_EXCL and mode 0440, and is never opened for writing again.
 * - File and directory are synced before the export resolves.
 * - Replicas that export the same seal agree: name and content depend on the seal only.
 * - A file that a crash truncated stays. The checkpoint is then written to `<sequence>-2.json`.
 *
 * **Not guaranteed.** Retention of the files: on an ordinary volume, its owner can change them.
 */
export function exportToDirectory(directory: string): ExportCheckpoint {
  return async (checkpoint) => {
    const content = `${JSON.stringify(checkpoint)}\n`
    const chainDirectory = join(directory, checkpoint.tenant_id ?? 'none')
    await mkdir(chainDirectory, { recursive: true, mode: 0o750 })
    for (let copy = 1; copy <= copiesMax; copy += 1) {
      const path = join(chainDirectory, fileName(checkpoint, copy))
      if (await createFile(path, content)) return 'exported'
      const existing = await readFile(path, 'utf8')
      if (existing === content) return 'present'
      if (!content.startsWith(existing)) return 'conflict'
    }
    throw new Error(`${copiesMax} files of checkpoint ${checkpoint.sequence} in ${chainDirectory} are incomplete`)
  }
}

const copiesMax = 9
const sequenceDigits = 12

function fileName({ sequence }: Seal, copy: number): string {
  const name = String(sequence).padStart(sequenceDigits, '0')
  return copy === 1 ? `${name}.json` : `${name}-${copy}.json`
}

/** Returns false when a file of this name exists. */
async function createFile(path: string, content: string): Promise<boolean> {
  let file: Awaited<ReturnType<typeof open>>
  try {
    file = await open(path, 'wx', 0o440)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  await syncDirectory(dirname(path))
  await syncDirectory(dirname(dirname(path)))
  return true
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
