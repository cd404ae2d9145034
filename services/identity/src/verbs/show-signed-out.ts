import type { PageReply } from '@payments/contracts/grammar/contract'
import type { Deps } from '../deps.ts'
import { renderPage } from '../pages/page.ts'
import { signedOutPage } from '../pages/signed-out.ts'

export const showSignedOut = ({ environment }: Pick<Deps, 'environment'>): PageReply =>
  renderPage(environment, signedOutPage())
