import type { PaymentOrchestrator, PaymentOrchestratorCheck } from '@payments/client/schemas'
import { type ReactNode, useState } from 'react'
import { useAction } from '../../session/action.ts'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { Notice } from '../../ui/notice.tsx'
import { Time } from '../../ui/time.tsx'

/** Calls the payment provider without an effect, and shows the result below the actions. */
export function Check({ orchestrator, children }: { orchestrator: PaymentOrchestrator; children: ReactNode }) {
  const [result, setResult] = useState<PaymentOrchestratorCheck>()
  const check = useAction({
    call: () =>
      api.checkPaymentOrchestrator({
        business_unit_id: orchestrator.business_unit_id,
        payment_orchestrator_id: orchestrator.id,
      }),
    onSuccess: setResult,
  })
  return (
    <>
      <div className="row">
        <ActionButton operation="checkPaymentOrchestrator" onClick={() => check.run(undefined)}>
          {check.isRunning ? 'Checking …' : 'Check'}
        </ActionButton>
        {children}
      </div>
      {check.failure === undefined ? null : <Notice tone="bad">{check.failure}</Notice>}
      {result === undefined || check.isRunning ? null : (
        <Notice tone={result.ok ? 'good' : 'bad'}>
          {result.detail}{' '}
          <small>
            <Time at={result.checked_at} />
          </small>
        </Notice>
      )}
    </>
  )
}
