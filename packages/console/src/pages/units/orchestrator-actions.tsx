import type { PaymentOrchestrator } from '@payments/client/schemas'
import { Actions, useDeletion } from '../../layout/actions.tsx'
import { Confirm } from '../../layout/confirm.tsx'
import { api } from '../../session/api.ts'
import { OrchestratorDialog } from './orchestrator-dialog.tsx'

/** Edits, makes the default, and deletes. */
export function OrchestratorActions({ orchestrator }: { orchestrator: PaymentOrchestrator }) {
  const { id, name, business_unit_id: unitId, is_default: isDefault, status } = orchestrator
  const address = { business_unit_id: unitId, payment_orchestrator_id: id }
  const deletion = useDeletion({
    operation: 'deletePaymentOrchestrator',
    noun: 'payment orchestrator',
    name,
    call: () => api.deletePaymentOrchestrator(address),
    effect: `It takes no payments afterwards, and its active invitations to pay are canceled. Its transactions can still be captured, voided and refunded.${
      isDefault ? ' Without a default, payments have to name a payment orchestrator.' : ''
    }`,
  })
  return (
    <Actions
      actions={[
        {
          operation: 'updatePaymentOrchestrator',
          label: 'Edit',
          dialog: (close) => <OrchestratorDialog unitId={unitId} orchestrator={orchestrator} onClose={close} />,
        },
        {
          operation: 'updatePaymentOrchestrator',
          label: 'Make default',
          isOffered: !isDefault && status === 'active',
          dialog: (close) => (
            <Confirm
              title="Make this the default?"
              kind="primary"
              submit="Make default"
              call={() => api.updatePaymentOrchestrator({ ...address, body: { is_default: true } })}
              onClose={close}
            >
              Payments that name no payment orchestrator use it from then on.
            </Confirm>
          ),
        },
        deletion,
      ]}
    />
  )
}
