// A page that is being left fails its calls and its chunks, too: that says nothing about the server.

import { readToken } from './session.ts'

let isGoing = false
/** What would end with the page, and is under way. */
let underWay = 0
/** Whoever was asked and stays has answered by then: no timer runs while the browser asks. */
const answeredMs = 1_000

addEventListener('beforeunload', (event) => {
  isGoing = true
  // Who is signed out has nothing left that could come to its end.
  if (underWay > 0 && readToken() !== undefined) event.preventDefault()
  setTimeout(() => {
    if (event.defaultPrevented) isGoing = false
  }, answeredMs)
})
addEventListener('pageshow', () => {
  isGoing = false
})

/** The page is about to be reloaded: until then it stays as it is. */
export function tellLeaving(): void {
  isGoing = true
}

/** Whether the browser is on its way to another page. */
export const isLeaving = (): boolean => isGoing

/** Work that ends with the page, such as a file on its way: until it is over, the browser asks before the page is left. */
export async function heldUntil<Done>(work: Promise<Done>): Promise<Done> {
  underWay += 1
  try {
    return await work
  } finally {
    underWay -= 1
  }
}
