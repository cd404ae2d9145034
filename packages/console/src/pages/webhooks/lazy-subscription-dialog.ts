import { lazy } from 'react'
import { createLoader } from '../../layout/load-page.ts'

const load = createLoader(() => import('./subscription-dialog.tsx'))

/** The form of a subscription, which is loaded when it opens. */
export const SubscriptionDialog = lazy(async () => ({ default: (await load()).SubscriptionDialog }))
