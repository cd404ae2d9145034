import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A directory on a disk that a test can fill to the last byte: a tmpfs, where the process may mount one. Elsewhere
 * `fill` deletes the directory, so writes fail as well.
 */
export function failingDisk() {
  const root = mkdtempSync(join(tmpdir(), 'failing-disk-'))
  const directory = join(root, 'audit')
  const filler = join(root, 'filler')
  const isMounted = mount(root)
  mkdirSync(directory)
  return {
    directory,
    fill: () => {
      if (!isMounted) return rmSync(directory, { recursive: true })
      for (let bytes = 65_536; bytes >= 1; bytes = Math.floor(bytes / 2)) while (tryToAppend(filler, bytes)) continue
    },
    free: () => {
      if (isMounted) rmSync(filler)
      else mkdirSync(directory)
    },
    remove: () => {
      if (isMounted) execFileSync('/bin/umount', ['--lazy', root])
      rmSync(root, { recursive: true, force: true })
    },
  }
}

function mount(root: string): boolean {
  try {
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', root], { stdio: 'ignore' })
    return true
  } catch {
    // Not root, or in a container that may not mount.
    return false
  }
}

function tryToAppend(file: string, bytes: number): boolean {
  try {
    appendFileSync(file, Buffer.alloc(bytes))
    return true
  } catch {
    // The disk is full.
    return false
  }
}
