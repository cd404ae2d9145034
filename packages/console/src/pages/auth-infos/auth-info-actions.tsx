import type { WebhookAuthInfo } from '@payments/client/schemas'
import { Actions, useDeletion } from '../../layout/actions.tsx'
import { api } from '../../session/api.ts'
import { formatQuantity } from '../../text/format.ts'
import { AuthInfoDialog } from './auth-info-dialog.tsx'

/** The actions of an auth info. One that a subscription uses cannot be deleted. */
export function AuthInfoActions({ authInfo }: { authInfo: WebhookAuthInfo }) {
  const { id, name, subscription_count: users } = authInfo
  const deletion = useDeletion({
    operation: 'deleteAuthInfo',
    noun: 'auth info',
    name,
    call: () => api.deleteAuthInfo({ webhook_auth_info_id: id }),
    to: '/auth-infos',
    effect: 'A deleted auth info cannot be restored.',
  })
  const denial = users === 0 ? undefined : `is used by ${formatQuantity(users, 'subscription')}`
  return (
    <Actions
      actions={[
        {
          operation: 'updateAuthInfo',
          label: 'Edit',
          dialog: (close) => <AuthInfoDialog authInfo={authInfo} onClose={close} />,
        },
        { ...deletion, denial, isInMenu: true },
      ]}
    />
  )
}
