import { type Page, type PageQuery, pageByName } from '@payments/contracts/grammar/page'
import type { SignInProviderName } from '@payments/contracts/services/identity/sessions'
import type { Deps } from '../deps.ts'

/** By id, which each provider has for itself. */
export function listSignInProviders(
  { providers }: Pick<Deps, 'providers'>,
  query: Pick<PageQuery, 'limit' | 'cursor'>,
): Page<SignInProviderName> {
  const shown = providers.list.map(({ id, name }) => ({ id, name }))
  return pageByName(shown, ({ id }) => id, query)
}
