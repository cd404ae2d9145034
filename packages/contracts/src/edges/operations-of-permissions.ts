import { contracts } from './contracts.ts'

/** The names of the operations that require each permission, in the order of the contracts. */
export const operationsOfPermissions: ReadonlyMap<string, readonly string[]> = collectOperations()

function collectOperations(): Map<string, string[]> {
  const names = new Map<string, string[]>()
  for (const { endpoints } of contracts) {
    for (const [name, { permission }] of Object.entries(endpoints)) {
      if (permission === undefined) continue
      names.set(permission, [...(names.get(permission) ?? []), name])
    }
  }
  return names
}
