const tones: Readonly<Record<string, 'good' | 'warning' | undefined>> = {
  completed: 'good',
  processing: 'warning',
}

/** The status of an invitation as the API names it. */
export function InvitationState({ status }: { status: string }) {
  return (
    <span className="badge" data-tone={tones[status]}>
      {status}
    </span>
  )
}

/** Whether the link of an invitation may still be paid, or be sent again. */
export const isOpen = (status: string): boolean => status !== 'completed' && status !== 'canceled'
