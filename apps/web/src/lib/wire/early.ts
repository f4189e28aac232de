import { readToken } from '../session.ts'
import type { Outgoing } from './outgoing.ts'

/** A call that every page of the console begins with, made by index.html before the scripts are there. */
export interface EarlyAnswer {
  address: string
  token: string
  response: Promise<Response>
}

/** The answer that index.html has asked for already, where it is the one that is wanted now. Once. */
export function takeEarly({ method, address }: Outgoing): Promise<Response> | undefined {
  const holder = window as { early?: EarlyAnswer }
  const { early } = holder
  if (!early || method !== 'GET' || address !== early.address) return undefined
  delete holder.early
  // Somebody else has signed in since.
  return early.token === readToken() ? early.response : undefined
}
