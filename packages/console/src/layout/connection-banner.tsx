import { useConnection } from '../session/connection.ts'
import { clock } from '../text/format.ts'
import styles from './shell.module.css'

/** Says that the platform does not respond, and since when the page may be out of date. */
export function ConnectionBanner() {
  const { isLost, lastResponseAt } = useConnection()
  return (
    <div role="status" className={styles.banner}>
      {isLost ? (
        <p>
          <strong>{navigator.onLine ? 'Payment Service does not respond.' : 'You are offline.'}</strong> The last
          response came at {clock(lastResponseAt)}. The page continues by itself once the connection is back.
        </p>
      ) : null}
    </div>
  )
}
