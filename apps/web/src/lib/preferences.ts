import {
  type PreferenceKey,
  type PreferenceValue,
  preferenceSchema,
  savePreference,
} from '@voltkeep/contract/preferences'
import { useCallback } from 'react'
import { notify } from './notices.ts'
import { createStore, useStore } from './store.ts'
import { texts } from './texts/index.ts'
import { CallError, call } from './wire/call.ts'

// The signed-in user's settings of the console. A choice applies at once in this page; the server keeps it for the next
// one, and if the server is away the page goes on with the choice.

const chosen = createStore<Readonly<Record<string, unknown>>>({})

/** Takes over the user's values from the server. Values that this version cannot read are left out. */
export function admitPreferences(kept: Readonly<Record<string, unknown>>): void {
  chosen.set(
    Object.fromEntries(
      Object.entries(kept).filter(([key, value]) => preferenceSchema(key)?.safeParse(value).success === true),
    ),
  )
}

/** The value as chosen, undefined where there is none, and its setter: undefined takes the choice back. */
export function usePreference<Key extends PreferenceKey>(
  key: Key,
): [PreferenceValue<Key> | undefined, (value: PreferenceValue<Key> | undefined) => void] {
  const value = useStore(chosen)[key] as PreferenceValue<Key> | undefined
  const choose = useCallback(
    (next: PreferenceValue<Key> | undefined) => {
      const { [key]: _, ...others } = chosen.get()
      chosen.set(next === undefined ? others : { ...others, [key]: next })
      void send(key)
    },
    [key],
  )
  return [value, choose]
}

/** Keys that are being saved; true where the value has changed again meanwhile. */
const underWay = new Map<string, boolean>()

/** One call of a key at a time: the server keeps the last choice. */
async function send(key: string): Promise<void> {
  if (underWay.has(key)) {
    underWay.set(key, true)
    return
  }
  do {
    underWay.set(key, false)
    try {
      await call(savePreference, { key, value: chosen.get()[key] })
    } catch (error) {
      if (error instanceof CallError && !error.isSessionEnd) notify.info(texts.preferenceUnkept)
    }
  } while (underWay.get(key))
  underWay.delete(key)
}
