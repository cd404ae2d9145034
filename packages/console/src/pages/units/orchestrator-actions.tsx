import type { PaymentOrchestrator } from '@payments/client/schemas'
import { useState } from 'react'
import { Confirm } from '../../layout/confirm.tsx'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { OrchestratorDialog } from './orchestrator-dialog.tsx'

/** Edits, makes the default, and deletes. */
export function OrchestratorActions({ orchestrator }: { orchestrator: PaymentOrchestrator }) {
  const [open, setOpen] = useState<'edit' | 'default' | 'delete'>()
  const close = () => setOpen(undefined)
  const { id, name, business_unit_id: unitId, is_default: isDefault, status } = orchestrator
  const args = { business_unit_id: unitId, payment_orchestrator_id: id }
  return (
    <>
      <ActionButton operation="updatePaymentOrchestrator" onClick={() => setOpen('edit')}>
        Edit
      </ActionButton>
      {isDefault || status !== 'active' ? null : (
        <ActionButton operation="updatePaymentOrchestrator" onClick={() => setOpen('default')}>
          Make default
        </ActionButton>
      )}
      <ActionButton operation="deletePaymentOrchestrator" kind="danger" onClick={() => setOpen('delete')}>
        Delete
      </ActionButton>
      {open === 'edit' ? <OrchestratorDialog unitId={unitId} orchestrator={orchestrator} onClose={close} /> : null}
      {open === 'default' ? (
        <Confirm
          title="Make this the default?"
          kind="primary"
          submit="Make default"
          call={() => api.updatePaymentOrchestrator({ ...args, body: { is_default: true } })}
          onClose={close}
        >
          Payments that name no payment orchestrator use it from then on.
        </Confirm>
      ) : null}
      {open === 'delete' ? (
        <Confirm
          title="Delete this payment orchestrator?"
          submit="Delete"
          typed={name}
          call={() => api.deletePaymentOrchestrator(args)}
          onClose={close}
        >
          It takes no payments afterwards, and its active invitations to pay are canceled. Its transactions can still be
          captured, voided and refunded.
          {isDefault ? ' Without a default, payments have to name a payment orchestrator.' : ''}
        </Confirm>
      ) : null}
    </>
  )
}
