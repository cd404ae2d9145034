import { hostname, userInfo } from 'node:os'

/** Who sits at the command line, as the machine knows them: for the log of what was done. */
export function operatorName(): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    // In a container the user may have a number and no name.
    return `uid ${process.getuid?.() ?? 'unknown'}@${hostname()}`
  }
}
