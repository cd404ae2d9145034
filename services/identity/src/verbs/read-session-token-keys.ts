import type { Deps } from '../deps.ts'
import type { SessionTokens } from '../session/session-tokens.ts'

type PublicKey = SessionTokens['publicKeys'][number]

export async function readSessionTokenKeys({ sessionTokens }: Deps): Promise<{ keys: PublicKey[] }> {
  return { keys: [...sessionTokens.publicKeys] }
}
