import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A directory on a disk that can be filled to the last byte: a tmpfs of its own where we may mount one; elsewhere, a
 * directory that is not there, which refuses to be written to as well.
 */
export function failingDisk() {
  const root = mkdtempSync(join(tmpdir(), 'fragile-'))
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
    // Full: that is what we are after.
    return false
  }
}
