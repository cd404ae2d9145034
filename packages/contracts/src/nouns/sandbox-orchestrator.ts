import { hash } from 'node:crypto'
import { formatUuid } from '../grammar/field.ts'

/**
 * The id of the sandbox payment orchestrator that a business unit gets when it is provisioned, so that older data can
 * refer to it: the first 16 bytes of the SHA-256 of `sandbox:<business unit id>`, as a UUID v8 (RFC 9562). The decision
 * record 0071 has the same formula in SQL.
 */
export function sandboxOrchestratorId(businessUnitId: string): string {
  const digits = hash('sha256', `sandbox:${businessUnitId.toLowerCase()}`)
  const variant = ((Number.parseInt(digits.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  const shaped = `${digits.slice(0, 12)}8${digits.slice(13, 16)}${variant}${digits.slice(17, 32)}`
  return formatUuid(shaped)
}
