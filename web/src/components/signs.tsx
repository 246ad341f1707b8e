import type { ReactNode } from "react";

// The signs of the product, each with the edge of its square. They differ in shape:
// states are round, severities octagon, triangle and square, verdicts open strokes.
export const signs = {
  "s-referenced": [16, <circle cx="8" cy="8" r="5" fill="currentColor"/>],
  "s-multi": [16, <><circle cx="5.5" cy="8" r="4.25" fill="currentColor"/><path fill="currentColor" d="M9.219 3.948A4.25 4.25 0 1 1 9.219 12.052A5.5 5.5 0 0 0 9.219 3.948Z"/></>],
  "s-unreferenced": [16, <circle cx="8" cy="8" r="5.25" fill="none" stroke="currentColor" strokeWidth="1.5" strokeDasharray="2.5 1.623" strokeDashoffset="1.25"/>],
  "s-review": [16, <><circle cx="8" cy="8" r="6.25" fill="none" stroke="currentColor" strokeWidth="1.5"/><path d="M6.2 6.6A1.85 1.85 0 1 1 8.9 8.2C8.3 8.55 8 8.85 8 9.4" fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinecap="round"/><circle cx="8" cy="11.4" r=".9" fill="currentColor"/></>],
  "s-notread": [16, <path d="M3 7L7 3M3 13L13 3M9 13L13 9" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" fill="none"/>],
  "v-error": [16, <path fill="currentColor" fillRule="evenodd" d="M5.3 1.5h5.4l3.8 3.8v5.4l-3.8 3.8H5.3l-3.8-3.8V5.3ZM7.2 4.4h1.6v4.4H7.2ZM7.2 10.2h1.6v1.6H7.2Z"/>],
  "v-warning": [16, <><path d="M8 2.4L14.2 13.5H1.8Z" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinejoin="round"/><path d="M7.25 6.2h1.5v3.6h-1.5ZM7.25 10.7h1.5v1.4h-1.5Z" fill="currentColor"/></>],
  "v-info": [16, <><rect x="2.25" y="2.25" width="11.5" height="11.5" rx="1.5" fill="none" stroke="currentColor" strokeWidth="1.5"/><path d="M7.25 7.2h1.5v4.2h-1.5ZM7.25 4.6h1.5v1.5h-1.5Z" fill="currentColor"/></>],
  "c-ok": [16, <path d="M3 8.5L6.5 12L13 4.5" fill="none" stroke="currentColor" strokeWidth="1.75" strokeLinecap="round" strokeLinejoin="round"/>],
  "c-no": [16, <path d="M4 4L12 12M12 4L4 12" fill="none" stroke="currentColor" strokeWidth="1.75" strokeLinecap="round"/>],
  "c-unknown": [16, <><rect x="2.25" y="2.25" width="11.5" height="11.5" rx="1.5" fill="none" stroke="currentColor" strokeWidth="1.5" strokeDasharray="2.3 1.6"/><path d="M6.3 6.6A1.75 1.75 0 1 1 8.85 8.15C8.3 8.5 8 8.75 8 9.2" fill="none" stroke="currentColor" strokeWidth="1.3" strokeLinecap="round"/><circle cx="8" cy="11.1" r=".85" fill="currentColor"/></>],
  "c-missing": [16, <path d="M4 8H12" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round"/>],
  "c-unseen": [16, <><path d="M2 8C3.6 5.3 5.6 4 8 4S12.4 5.3 14 8C12.4 10.7 10.4 12 8 12S3.6 10.7 2 8Z" fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinejoin="round"/><path d="M3 13L13 3" stroke="currentColor" strokeWidth="1.4" strokeLinecap="round"/></>],
  "m-pending": [12, <><circle cx="6" cy="6" r="4.5" fill="none" stroke="currentColor" strokeWidth="1.25"/><path d="M6 3.5V6L8 7" fill="none" stroke="currentColor" strokeWidth="1.25" strokeLinecap="round" strokeLinejoin="round"/></>],
  "m-removal": [12, <><circle cx="6" cy="6" r="4.5" fill="none" stroke="currentColor" strokeWidth="1.25"/><path d="M3.75 6H8.25" stroke="currentColor" strokeWidth="1.25" strokeLinecap="round"/></>],
  "m-mapping": [12, <><rect x="1" y="4" width="3.5" height="4" fill="none" stroke="currentColor" strokeWidth="1.25"/><rect x="7.5" y="4" width="3.5" height="4" fill="currentColor" stroke="currentColor" strokeWidth="1.25"/><path d="M4.5 6H7.5" stroke="currentColor" strokeWidth="1.25"/></>],
  "m-candidate": [12, <path d="M1.5 6H4M4 6L7 2.75H10.5M4 6L7 9.25H10.5" fill="none" stroke="currentColor" strokeWidth="1.25" strokeLinecap="round" strokeLinejoin="round"/>],
  "m-group": [12, <><path d="M3.5 1.5H1.5V10.5H3.5M8.5 1.5H10.5V10.5H8.5" fill="none" stroke="currentColor" strokeWidth="1.25"/><path d="M4.5 4.5H7.5M4.5 7.5H7.5" stroke="currentColor" strokeWidth="1.25"/></>],
  "m-vf": [12, <><path d="M2.5 1V9.5H5M2.5 4.5H5" fill="none" stroke="currentColor" strokeWidth="1.25"/><rect x="6" y="3" width="4.5" height="3" fill="currentColor"/><rect x="6" y="8" width="4.5" height="3" fill="currentColor"/></>],
  "m-vgpu": [12, <><rect x="1.25" y="2.25" width="9.5" height="7.5" fill="none" stroke="currentColor" strokeWidth="1.25"/><path d="M4.5 2.5V9.5M7.5 2.5V9.5" stroke="currentColor" strokeWidth="1.25"/></>],
  "m-host": [12, <><rect x="1.25" y="1.75" width="9.5" height="6.5" fill="none" stroke="currentColor" strokeWidth="1.25"/><path d="M4 10.5H8M6 8.5V10.5" stroke="currentColor" strokeWidth="1.25"/></>],
  "m-stale": [12, <path d="M2.5 1.25H9.5M2.5 10.75H9.5M3.25 1.5C3.25 4.5 8.75 7.5 8.75 10.5M8.75 1.5C8.75 4.5 3.25 7.5 3.25 10.5" fill="none" stroke="currentColor" strokeWidth="1.25" strokeLinecap="round"/>],
  "m-nottold": [12, <path d="M2 6H3.2M5.4 6H6.6M8.8 6H10" stroke="currentColor" strokeWidth="1.5"/>],
  "m-running": [12, <path d="M3.5 2L10 6L3.5 10Z" fill="currentColor"/>],
  "m-stopped": [12, <rect x="2.75" y="2.75" width="6.5" height="6.5" fill="none" stroke="currentColor" strokeWidth="1.25"/>],
  "m-template": [12, <rect x="2.1" y="2.1" width="7.8" height="7.8" fill="none" stroke="currentColor" strokeWidth="1.25" strokeDasharray="1.7 1.42"/>],
  "i-gpu": [16, <g fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"><path d="M2 3V14M2 4.5H14V11H2M4.5 11V13H8.5V11"/><circle cx="9" cy="7.75" r="1.75"/></g>],
  "i-mark": [20, <><path d="M2.5 2.5H8.5V8.5H2.5ZM11.5 2.5H17.5V8.5H11.5ZM2.5 11.5H8.5V17.5H2.5Z" fill="none" stroke="currentColor" strokeWidth="1.5"/><path d="M10.75 10.75H18.25V18.25H10.75Z" fill="currentColor"/></>],
} as const satisfies Record<string, readonly [number, ReactNode]>;

export type SignName = keyof typeof signs;
