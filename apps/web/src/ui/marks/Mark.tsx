/** The product's mark: a cell with its charge. */
export function Mark({ size = 20 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" className="mark">
      <rect className="mark-cell" width="32" height="32" rx="7" />
      <path className="mark-charge" d="M18.4 5 8.5 18.2h6L13.6 27l9.9-13.2h-6z" />
    </svg>
  )
}
