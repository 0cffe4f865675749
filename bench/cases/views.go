package cases

// Views is the name of the group of views and of packed tensors whose groups of
// axes alternate: what has to be read in another order than it is summed in.
const Views = "views"

var views = []string{
	// packed, the groups of reduced axes alternate, or the inner axes are short
	"1000x50x20x10/0,1,3", "1000x50x20x10/2", "1000x50x20x10/0,2",
	"8x24x48x16/0,2", "8x24x48x16/1,2", "12x30x14x22x10/0,2,4", "6x7x8x9x10x11/1,3,5",
	"512x896x4x12/3", "16x49x512/1",
	// transposed, axes reversed: a Fortran array
	"1024x4096@1,1024", "1000x4000@1,1000", "512x512@1,512", "128x128@1,128", "301x707@1,301",
	"768x1536/0@1,768", "768x1536/1@1,768", "100x200/0@1,100",
	"100x100x100@1,100,10000", "40x50x60x70@1,40,2000,120000", "64x96x33/0,2@1,64,6144", "30x40x50x20/1,3@1,30,1200,60000",
	"2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2@1,2,4,8,16,32,64,128,256,512,1024,2048,4096,8192,16384,32768",
	// some axes transposed: channels last, channels first, heads
	"10x100x200/1,2@20000,1,100", "16x64x56x56/2,3@200704,1,3584,64", "16x64x56x56/0,2,3@200704,1,3584,64",
	"16x56x56x64/3@200704,56,1,3136", "16x56x56x64/1,2@200704,56,1,3136",
	"4x12x128x64/2@98304,64,768,1", "4x12x128x64/1,3@98304,64,768,1", "50x70x90/0,2@1,4500,50",
	// sliced: narrow parts of wide rows, windows
	"65536x4/0@1000,1", "4096x48/1@160,1", "30000x3/1@257,1", "1000x900@1024,1", "200x300x64/0,1@38400,96,1", "300x200/0@512,1",
	// stepped: every second, third, fourth element, every second row
	"1500000@2", "333x1024/1@3072,3", "1000x500/1@2000,4", "500x2000/0@4000,2", "1000x1000/0@2000,1", "50000@16",
	// broadcast: a row for all, heads that several others share, windows that overlap
	"512x2048/0@0,1", "2x8x4x512x64/3@262144,32768,0,64,1", "64x1000x500/1@0,500,1", "510x510x3x3/2,3@512,1,512,1",
	// small ones
	"8x8@1,8", "4x4x4/0,2", "4x16/0@1,4", "64@3", "16x16/0@1,16", "32x32@1,32", "10x8x6/0,2", "40x50/1@64,1",
}
