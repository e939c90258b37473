// SPDX-License-Identifier: Apache-2.0
// Measures the laid-out page of "nnctl bench --report" and replaces it by what it found, as JSON (report_browser.sh).
"use strict";

const problems = [];
const box = (element) => element.getBoundingClientRect();
const name = (element) => `${element.tagName} "${element.textContent.trim()}"`;
const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
const root = document.documentElement;

if (root.scrollWidth > root.clientWidth)
	problems.push(`the page is ${root.scrollWidth} wide in a window of ${root.clientWidth}`);

for (const drawing of document.querySelectorAll("svg[id]")) {
	const outer = box(drawing), texts = [...drawing.querySelectorAll("text")];

	for (const text of texts) {
		const inner = box(text);

		if (inner.left < outer.left || inner.right > outer.right || inner.top < outer.top || inner.bottom > outer.bottom)
			problems.push(`${name(text)} is outside its drawing`);
		if (inner.height < 9)
			problems.push(`${name(text)} is ${inner.height} high`);
		for (const other of texts)
			if (other !== text && overlap(inner, box(other)))
				problems.push(`${name(text)} covers ${name(other)}`);
	}
}

const line = parseFloat(getComputedStyle(document.body).lineHeight);
for (const cell of document.querySelectorAll("td, th"))
	if (box(cell).height > 1.8 * line)
		problems.push(`${name(cell)} is broken into lines`);

const rows = [...document.querySelectorAll("#operations tr")].slice(1);
const bars = rows.map((row) => row.querySelector("rect.bar")).filter((bar) => bar);
const left = (id) => {
	const drawing = document.getElementById(id), axis = box(drawing.querySelector("line.axis")).left;

	return [...drawing.querySelectorAll("text")].filter((text) => box(text).right <= axis).length;
};
const findings = {
	width: window.innerWidth,
	problems,
	rows: rows.length,
	bars: bars.length,
	longest: Math.max(...bars.map((bar) => box(bar).width / box(bar.ownerSVGElement).width)),
	marks: document.querySelectorAll("#roofline circle").length,
	roofline_y: left("roofline"),
	histogram_y: left("histogram"),
};
const pre = document.createElement("pre");

pre.id = "probe";
pre.textContent = JSON.stringify(findings);
document.body.replaceChildren(pre);
