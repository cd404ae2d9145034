import { lazy } from 'react'
import { createLoader } from '../../layout/load-page.ts'

const load = createLoader(() => import('./subscription-dialog.tsx'))

/** The forms of a subscription, which are loaded when the first one opens. */
export const CreateSubscriptionDialog = lazy(async () => ({ default: (await load()).CreateSubscriptionDialog }))
export const EditSubscriptionDialog = lazy(async () => ({ default: (await load()).EditSubscriptionDialog }))
