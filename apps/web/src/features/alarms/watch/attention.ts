import type { AlarmRow } from '@voltkeep/contract/alarms'
import type { PreferenceValue } from '@voltkeep/contract/preferences'
import { useEffect, useRef } from 'react'
import { isWatchedUnseen } from '../../../lib/live/live.ts'
import { placeOf } from '../alarms.columns.tsx'
import { watchTexts } from './watch.texts.ts'

// Sound and desktop notifications for a user who looks elsewhere. Both are off until the user turns them on.

export type AlarmNotice = PreferenceValue<'alarmNotice'>

export const canNotifyDesktop = () => typeof Notification !== 'undefined' && window.isSecureContext

/**
 * Returns true in exactly one tab, which notifies for all: the one that has the Web Lock. It stays connected while
 * hidden. Without the Web Locks API, it returns true in the visible tab.
 */
export function useSpeaker(isWanted: boolean): () => boolean {
  const hasLock = useRef(false)
  useEffect(() => {
    if (!isWanted || !('locks' in navigator)) return
    const end = new AbortController()
    navigator.locks
      .request('voltkeep-alarm-notice', { signal: end.signal }, () => {
        hasLock.current = true
        isWatchedUnseen.set(true)
        return new Promise<void>((resolve) => end.signal.addEventListener('abort', () => resolve()))
      })
      .catch(() => undefined)
    return () => {
      end.abort()
      hasLock.current = false
      isWatchedUnseen.set(false)
    }
  }, [isWanted])
  return () => ('locks' in navigator ? hasLock.current : !document.hidden)
}

let audio: AudioContext | undefined

/** Plays two short tones. Browsers play no sound before the user has interacted with the page. */
export function playTones(): void {
  try {
    audio ??= new AudioContext()
    void audio.resume()
    const at = audio.currentTime + 0.05
    for (const [index, frequency] of [880, 660].entries()) {
      const tone = audio.createOscillator()
      const volume = audio.createGain()
      const begin = at + index * 0.22
      tone.frequency.value = frequency
      volume.gain.setValueAtTime(0, begin)
      volume.gain.linearRampToValueAtTime(0.2, begin + 0.02)
      volume.gain.linearRampToValueAtTime(0, begin + 0.2)
      tone.connect(volume).connect(audio.destination)
      tone.start(begin)
      tone.stop(begin + 0.2)
    }
  } catch {
    // Without sound the notification is still visible.
  }
}

/** One desktop notification for any number of alarms. A click brings the console to the front and opens the first. */
export function showOnDesktop(alarms: readonly AlarmRow[], open: () => void): void {
  const [first] = alarms
  if (!first || !canNotifyDesktop() || Notification.permission !== 'granted') return
  const shown = new Notification(watchTexts.title(alarms.length, nameOf(first)), {
    body: placeOf(first),
    tag: 'voltkeep-alarm',
  })
  shown.onclick = () => {
    window.focus()
    open()
    shown.close()
  }
}

export const nameOf = ({ semaphoreName, meaning }: AlarmRow) =>
  meaning ? `${semaphoreName} · ${meaning}` : semaphoreName
