import type { LiveEvent } from '@voltkeep/contract/live'
import { useEffect, useRef } from 'react'
import { createStore, useStore } from '../store.ts'
import { createBurst, waitAfter } from './burst.ts'

/**
 * `off`: nobody is signed in, or the session ended. `reconnecting` is also the state between two
 * tries, however many they are.
 */
export type LiveState = 'off' | 'connecting' | 'connected' | 'reconnecting'

export type LiveListener = (event: LiveEvent) => void

export const liveState = createStore<LiveState>('off')

/**
 * The page stays connected while it is hidden: set by a part that has something to announce then. At most one tab
 * should.
 */
export const isWatchedUnseen = createStore(false)

const listeners = new Set<LiveListener>()
let lastChangeMs = Number.NEGATIVE_INFINITY

/** For the app's connection: passes an event to every page that listens. */
export function publishLive(event: LiveEvent): void {
  if (event.type !== 'ready') lastChangeMs = Date.now()
  for (const listener of [...listeners]) listener(event)
}

/**
 * Calls the listener with the server's events while the component is mounted. `ready` comes with every connection, the
 * first one included: rows read before it may have changed.
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

/** For so long the stream has told of no change, ms. `ready` is none: it comes with the first connection too. */
export function quietMs(): number {
  return Date.now() - lastChangeMs
}

/** Whether the event tells of a noun (of one row of it, where an id is given), or may have left it out. */
export function concerns(event: LiveEvent, noun: string, id?: string): boolean {
  if (event.type === 'ready') return true
  if (event.type === 'missed') return event.noun === undefined || event.noun === noun
  return event.noun === noun && (id === undefined || event.added.includes(id) || event.changed.includes(id))
}

/** Reads again after these events: once for a burst, and not while the page is hidden. */
export function useLiveReading(
  read: () => unknown,
  isMeant: (event: LiveEvent) => boolean,
  pauseMs?: number,
): void {
  const ask = useBurst(read, pauseMs)
  useLive((event) => {
    if (isMeant(event)) ask(waitAfter(event))
  })
}

/** A burst (see `createBurst`) that ends with the component; `act` is the newest one given. */
export function useBurst(act: (again: () => void) => unknown, pauseMs?: number): (delayMs?: number) => void {
  const latest = useRef(act)
  useEffect(() => {
    latest.current = act
  })
  const burst = useRef<ReturnType<typeof createBurst>>(undefined)
  useEffect(() => {
    const made = createBurst((again) => latest.current(again), pauseMs)
    burst.current = made
    return () => made.stop()
  }, [pauseMs])
  return (delayMs) => burst.current?.ask(delayMs)
}

export function useLiveState(): LiveState {
  return useStore(liveState)
}
