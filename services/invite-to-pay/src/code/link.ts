import type { Deps } from '../deps.ts'
import type { CodeFacts } from '../domain/code.ts'
import { codePurpose, payLink } from '../domain/code-value.ts'

/** Address of the pay page of a code. Decrypts its value: never inside a transaction. */
export async function decryptLink(
  { vault, payBaseUrl }: Pick<Deps, 'vault' | 'payBaseUrl'>,
  code: CodeFacts,
): Promise<string> {
  const binding = { purpose: codePurpose, tenantId: code.tenantId, recordId: code.id }
  return payLink(payBaseUrl, await vault.decrypt(binding, code.codeEncrypted))
}
