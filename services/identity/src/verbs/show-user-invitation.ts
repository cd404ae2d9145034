import type { PageReply } from '@payments/contracts/grammar/contract'
import type { Deps } from '../deps.ts'
import { acceptInvitationPage } from '../pages/accept-invitation.ts'
import { renderPage } from '../pages/page.ts'

/** Changes nothing, so scanners of mail may open the link. */
export const showUserInvitation = ({ environment }: Pick<Deps, 'environment'>): PageReply =>
  renderPage(environment, acceptInvitationPage())
