import { lazy } from 'react'
import { loaded } from '../../layout/load-page.ts'

const load = loaded(() => import('./subscription-dialog.tsx'))

/** The forms of a subscription, which are loaded when the first one opens. */
export const CreateSubscriptionDialog = lazy(async () => ({ default: (await load()).CreateSubscriptionDialog }))
export const EditSubscriptionDialog = lazy(async () => ({ default: (await load()).EditSubscriptionDialog }))
