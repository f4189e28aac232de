import type { LiveEvent } from '@voltkeep/contract/live'
import { useEffect, useRef } from 'react'
import { createStore, useStore } from '../store.ts'

/**
 * `off`: nobody is signed in, or the session ended. `reconnecting` is also the state between two
 * tries, however many they are.
 */
export type LiveState = 'off' | 'connecting' | 'connected' | 'reconnecting'

export type LiveListener = (event: LiveEvent) => void

export const liveState = createStore<LiveState>('off')

const listeners = new Set<LiveListener>()

/** For the app's connection: hands an event to every page that listens. */
export function publishLive(event: LiveEvent): void {
  for (const listener of [...listeners]) listener(event)
}

/**
 * Calls the listener with what the server pushes while the component stands. After a gap in the
 * connection it gets `missed`: what changed in between is unknown, so lists are to be read again.
 */
export function useLive(listener: LiveListener): void {
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(() => {
    const forward: LiveListener = (event) => latest.current(event)
    listeners.add(forward)
    return () => {
      listeners.delete(forward)
    }
  }, [])
}

export function useLiveState(): LiveState {
  return useStore(liveState)
}
