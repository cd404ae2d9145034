/** Whether the user may sign in. */
export function UserState({ isEnabled }: { isEnabled: boolean }) {
  return (
    <span className="badge" data-tone={isEnabled ? 'good' : undefined}>
      {isEnabled ? 'enabled' : 'disabled'}
    </span>
  )
}
