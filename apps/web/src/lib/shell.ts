/** Removes the frame of index.html when the first page is there: in the same commit, so that nothing flashes. */
export function dropShell(): void {
  document.getElementById('shell')?.remove()
}
