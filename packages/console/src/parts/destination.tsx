import { Link } from '@tanstack/react-router'
import { usePermitted } from '../session/self.ts'
import { foreign } from '../text/foreign.ts'

interface DestinationProps {
  readonly url: string
  readonly unitId: string
  readonly subscriptionId: string
}

/** Host and path of the endpoint of a delivery, as a link to its subscription. */
export function Destination({ url, unitId, subscriptionId }: DestinationProps) {
  const isReadable = usePermitted('readSubscription')
  const { host, pathname } = URL.parse(url) ?? { host: url, pathname: '' }
  const text = foreign(`${host}${pathname === '/' ? '' : pathname}`)
  if (!isReadable) return text
  return (
    <Link to="/subscriptions/$unitId/$subscriptionId" params={{ unitId, subscriptionId }}>
      {text}
    </Link>
  )
}
