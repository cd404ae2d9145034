import { useEffect, useState } from 'react'

const settledMs = 500

/** The text once it did not change for half a second, so that typing does not send a request per letter. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), settledMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
